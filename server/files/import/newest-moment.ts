import { findTime } from '@/lib/format/iso-time';
import type { EpochMs } from '@/lib/xds/units';

/** Prefixes of "last_updated" and "last_update_attempt" in both spellings, searched in the whole document. */
const beginnings = ['last_update', 'lastUpdate'];

/** Upper limit for a member with its value, in bytes. */
const longestMember = 128;

/** Fewer new bytes are not scanned yet. */
const piece = 1024 * 1024;

/** Finds the newest time in a document of JSON or YAML, up to `now`. MUTABLE: scans the document while it arrives. */
export class NewestMoment {
  readonly #now: EpochMs;

  #newest: EpochMs | null = null;
  #seen = 0;

  constructor(now: EpochMs) {
    this.#now = now;
  }

  /** `bytes` are the begin of the document. */
  scan(bytes: Uint8Array): void {
    if (bytes.length - this.#seen > piece) this.#scanUpTo(bytes, bytes.length - longestMember);
  }

  /** Null if the scanned bytes have no time. */
  get soFar(): EpochMs | null {
    return this.#newest;
  }

  /** Scans the whole document; null if it has no time. */
  findIn(bytes: Uint8Array): EpochMs | null {
    this.#scanUpTo(bytes, bytes.length);
    return this.#newest;
  }

  /** Members that begin at `end` or later are not scanned. */
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
    const found = /^(?:d|_attempt|Attempt)"?\s*:\s*["']?(\d{4}-[-\d:.TZ+]{6,36})/.exec(text);
    const moment = findTime(found?.[1] ?? '');
    // Zero and year 1 mean "never".
    if (moment !== undefined && moment > 0 && moment <= this.#now && moment > (this.#newest ?? 0))
      this.#newest = moment;
  }
}
