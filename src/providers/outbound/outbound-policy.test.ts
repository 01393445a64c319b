import { expect, it } from "vitest";
import { refuseAddress, refuseResolved, refuseUrl } from "./outbound-policy.ts";

const spellings = [
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0177.0.0.1/",
  "http://017700000001/",
  "http://0x7f.0.0.1/",
  "http://0x7f000001/",
  "http://127.0.0.1./",
  "http://①②⑦.0.0.1/",
  "http://127。0。0。1/",
  "http://%31%32%37.0.0.1/",
  "http://0/",
  "http://0.0.0.0/",
  "http://[::]/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::127.0.0.1]/",
  "http://[64:ff9b:1::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[2001:0:7f00:1::]/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://10.0.0.1/",
  "http://172.16.3.4/",
  "http://192.168.1.1/",
  "http://100.64.0.1/",
  "http://198.18.0.1/",
  "http://192.0.2.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://[fc00::1]/",
  "http://[fec0::1]/",
  "http://[ff02::1]/",
  "http://[4000::1]/",
];

const metadata = [
  "http://169.254.169.254/latest/meta-data/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://0xa9fea9fe/",
  "http://2852039166/",
  "http://0251.0376.0251.0376/",
  "http://[fe80::1]/",
  "http://[fd00:ec2::254]/",
  "http://[fd20:ce::254]/",
  "http://100.100.100.200/",
  "http://168.63.129.16/",
  "http://192.0.0.192/",
];

it.each([...spellings, ...metadata])("the public scope refuses %s", (address) => {
  expect(refuseUrl(new URL(address), "public")).toEqual(expect.any(String));
});

it.each(metadata)("no scope allows the metadata address %s", (address) => {
  expect(refuseUrl(new URL(address), "private")).toEqual(expect.any(String));
});

it.each([
  "ftp://example.com/",
  "file:///etc/passwd",
  "data:text/plain,x",
  "http://user@example.com/",
  "http://a:b@example.com/",
])(
  "only http and https without a user name are allowed: %s is refused in both scopes",
  (address) => {
    expect(refuseUrl(new URL(address), "public")).toEqual(expect.any(String));
    expect(refuseUrl(new URL(address), "private")).toEqual(expect.any(String));
  },
);

it("a public address passes in both scopes, a loopback or private one only as an admin's own origin", () => {
  for (const address of ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"]) {
    expect(refuseAddress(address, "public")).toBeNull();
    expect(refuseAddress(address, "private")).toBeNull();
  }
  for (const address of ["127.0.0.1", "::1", "192.168.1.20", "fd12::1", "100.64.0.7"]) {
    expect(refuseAddress(address, "public")).toEqual(expect.any(String));
    expect(refuseAddress(address, "private")).toBeNull();
  }
});

it("a name is refused if any of its addresses is refused, or if it has none", () => {
  const good = { address: "1.1.1.1", family: 4 };
  const bad = { address: "169.254.169.254", family: 4 };
  expect(refuseResolved("rebind.test", [good], "public")).toBeNull();
  expect(refuseResolved("rebind.test", [good, bad], "public")).toBe(
    "rebind.test has no public address",
  );
  expect(refuseResolved("rebind.test", [good, bad], "private")).toContain("169.254.169.254");
  expect(refuseResolved("rebind.test", [], "public")).toBe("rebind.test has no public address");
});

it("a refusal reveals a name's addresses only to the person who entered a private origin", () => {
  for (const address of ["10.1.2.3", "127.0.0.1", "fd12::1", "169.254.169.254"])
    expect(refuseResolved("db.internal", [{ address, family: 4 }], "public")).toBe(
      refuseResolved("db.internal", [], "public"),
    );
});
