/** Every PEM private key contains this text. */
export const privateKeyMark = Buffer.from('PRIVATE KEY-----');
const begin = privateKeyMark;
const endMark = Buffer.from('-----END');

/**
 * Overwrites the text of PEM private keys where no schema expects them: in an unknown Any, a Lua script, or a
 * certificate chain with the key appended. The length remains, so that the surrounding protobuf is valid. Returns the
 * same array if there is none.
 */
export function maskPrivateKeys(bytes: Uint8Array): { bytes: Uint8Array; masked: number } {
  const view =
    bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let from = view.indexOf(begin);
  if (from === -1) return { bytes, masked: 0 };
  const copy = Buffer.from(view);
  let masked = 0;
  /** The first end at or behind the text. It is searched for again only behind it, so that each byte is read once. */
  let next = from;
  while (from !== -1) {
    const textStart = from + begin.length;
    if (next !== -1 && next < textStart) next = copy.indexOf(endMark, textStart);
    // Without an end, the key is as long as its base64.
    const textEnd = next === -1 ? endOfBase64(copy, textStart) : next;
    if (copy.subarray(textStart, textEnd).some((byte) => byte !== star && !isLineBreak(byte))) {
      for (let index = textStart; index < textEnd; index++) {
        if (!isLineBreak(copy[index] ?? 0)) copy[index] = star;
      }
      masked++;
    }
    const footer = next === -1 ? -1 : copy.indexOf(begin, next);
    // The footer contains the mark as well.
    const after = footer !== -1 && footer - next < 40 ? footer + begin.length : textEnd;
    from = copy.indexOf(begin, after);
  }
  return masked === 0 ? { bytes, masked } : { bytes: copy, masked };
}

const star = 0x2a;

function isLineBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

function endOfBase64(bytes: Buffer, from: number): number {
  let index = from;
  while (index < bytes.length && /[A-Za-z0-9+/=\s\\]/.test(String.fromCharCode(bytes[index] ?? 0))) index++;
  return index;
}
