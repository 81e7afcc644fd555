const firstPicture = 0x2400;
const deletePicture = 0x2421;

/** Control characters and bidirectional marks. Joiners are kept, since emoji and scripts need them. */
const invisible = /[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Makes invisible characters of a hostile name visible, on one line: a line break as "␊", a right-to-left override as
 * "\u202e". Otherwise different names could look the same.
 */
export function formatVisible(name: string): string {
  return name.replace(invisible, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x7f) return String.fromCharCode(deletePicture);
    if (code < 0x20) return String.fromCharCode(firstPicture + code);
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
