/** Of "last_updated", "last_update_attempt" and their names in camelCase: each is looked for in all of the document. */
const beginnings = ['"last_update', '"lastUpdate'];
/** A member with its value is shorter, from its first quote to its last. */
const longestMember = 128;
/** Fewer new bytes are not worth looking through yet. */
const piece = 1024 * 1024;

/** The newest moment that a JSON document reports anything in it, up to `now`. MUTABLE: is shown more and more of it. */
export class NewestMoment {
  #newest: number | null = null;
  #seen = 0;

  constructor(private readonly now: number) {}

  /** `bytes`: the document from its first byte on, of which more may come. */
  scan(bytes: Uint8Array): void {
    if (bytes.length - this.#seen > piece) this.#scanUpTo(bytes, bytes.length - longestMember);
  }

  /** Of what was looked at; null: it reports none. */
  get soFar(): number | null {
    return this.#newest;
  }

  /** Of all of it; null: it reports none. */
  findIn(bytes: Uint8Array): number | null {
    this.#scanUpTo(bytes, bytes.length);
    return this.#newest;
  }

  /** `end`: where members begin that are not looked at now. */
  #scanUpTo(bytes: Uint8Array, end: number): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const member of beginnings) {
      let at = buffer.indexOf(member, this.#seen);
      while (at !== -1 && at < end) {
        this.#readMember(buffer.toString('latin1', at + member.length, at + longestMember));
        at = buffer.indexOf(member, at + member.length);
      }
    }
    this.#seen = end;
  }

  #readMember(text: string): void {
    const found = /^(?:d|_attempt|Attempt)"\s*:\s*"([^"]{10,40})"/.exec(text);
    const moment = found?.[1] === undefined ? Number.NaN : Date.parse(found[1]);
    // 0 and year 1 are "never".
    if (moment > 0 && moment <= this.now && moment > (this.#newest ?? 0)) this.#newest = moment;
  }
}
