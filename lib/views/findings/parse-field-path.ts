/** "endpoints[0].metadata["envoy.lb"].x" as steps: field names, map keys and list indexes. */
export function parseFieldPath(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  const step = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/gy;
  let at = 0;
  while (at < path.length) {
    if (path[at] === '.') at += 1;
    step.lastIndex = at;
    const match = step.exec(path);
    if (match === null) return steps;
    const [whole, index, key, name] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(key === undefined ? (name ?? '') : String(JSON.parse(key)));
    at += whole.length;
  }
  return steps;
}
