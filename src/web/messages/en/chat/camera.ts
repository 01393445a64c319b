/** The dialog that takes a photo. */
export const camera = {
  "camera.title": "Take a photo",
  "camera.picture": "Camera picture",
  "camera.photo": "Photo",
  "camera.take": "Take photo",
  "camera.retake": "Retake",
  "camera.attach": "Attach photo",
  "camera.insecure": "The camera needs https",
  "camera.insecure.advice":
    "This page was opened over plain http. Use https, or http://localhost on the server’s machine. You can also attach a photo from this device.",
  "camera.unsupported": "This browser gives pages no camera",
  "camera.unsupported.advice": "Use another browser, or attach a photo from this device.",
  "camera.denied": "Camera access is blocked",
  "camera.denied.advice":
    "Allow it in the browser’s address bar or in the system’s privacy settings. Then try again.",
  "camera.none": "No camera found",
  "camera.none.advice": "Connect a camera, then try again.",
  "camera.busy": "The camera is not available",
  "camera.busy.advice": "Another program may be using it. Close that program and try again.",
  "camera.broken": "The camera could not start",
  "camera.broken.advice": "Try again. If it fails again, restart the browser.",
};
