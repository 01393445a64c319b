/**
 * Gives each file of an archive a unique name, also on case-insensitive disks. Thousands of files
 * may share a prompt, so the last number of each name is remembered.
 */
export function createNames(): (name: string) => string {
  const taken = new Set<string>();
  const last = new Map<string, number>();
  return (name) => {
    const dot = name.lastIndexOf(".");
    const key = name.toLowerCase();
    let unique = name;
    let n = last.get(key) ?? 1;
    while (taken.has(unique.toLowerCase())) {
      n += 1;
      unique = dot > 0 ? `${name.slice(0, dot)} ${n}${name.slice(dot)}` : `${name} ${n}`;
    }
    last.set(key, n);
    taken.add(unique.toLowerCase());
    return unique;
  };
}
