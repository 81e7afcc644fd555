/** Of "last_updated", "last_update_attempt" and their names in camelCase: each is looked for in all of the document. */
const beginnings = ['"last_update', '"lastUpdate'];

/** The newest moment that a JSON document tells of anything in it, up to `now`; null: it tells none. */
export function findNewestMoment(bytes: Uint8Array, now: number): number | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let newest: number | null = null;
  for (const member of beginnings) {
    for (let at = buffer.indexOf(member); at !== -1; at = buffer.indexOf(member, at + member.length)) {
      const found = /^(?:d|_attempt|Attempt)"\s*:\s*"([^"]{10,40})"/.exec(
        buffer.toString('latin1', at + member.length, at + member.length + 70),
      );
      const moment = found?.[1] === undefined ? Number.NaN : Date.parse(found[1]);
      // 0 and year 1 are "never".
      if (moment > 0 && moment <= now && moment > (newest ?? 0)) newest = moment;
    }
  }
  return newest;
}
