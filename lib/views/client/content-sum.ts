/**
 * A sum of 128 bits over a set of names with the hashes of their bodies. The order does not matter. It does not withstand
 * deliberate collisions. MUTABLE.
 */
export class ContentSum {
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;

  /** `hash` is null if the body is not reported. */
  count(name: string, hash: string | null): void {
    let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
    const body = hash ?? '';
    const length = name.length + 1 + body.length;
    // The name, a NUL and the hash, without a text of all of them, since this is called for each row.
    for (let at = 0; at < length; at++) {
      const code =
        at < name.length
          ? name.charCodeAt(at)
          : at === name.length
            ? 0
            : body.charCodeAt(at - name.length - 1);
      a = b ^ Math.imul(a ^ code, 597399067);
      b = c ^ Math.imul(b ^ code, 2869860233);
      c = d ^ Math.imul(c ^ code, 951274213);
      d = a ^ Math.imul(d ^ code, 2716044179);
    }
    this.#a = (this.#a + mix(a ^ c)) >>> 0;
    this.#b = (this.#b + mix(b ^ a)) >>> 0;
    this.#c = (this.#c + mix(c ^ d)) >>> 0;
    this.#d = (this.#d + mix(d ^ b)) >>> 0;
  }

  /** 32 hex digits; equal for equal sets. */
  toString(): string {
    return hexOf(this.#a) + hexOf(this.#b) + hexOf(this.#c) + hexOf(this.#d);
  }
}

/** Mixes the bits, so that every bit of the result depends on all bits of the lane. */
function mix(lane: number): number {
  let mixed = lane ^ (lane >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function hexOf(lane: number): string {
  return lane.toString(16).padStart(8, '0');
}
