const firstPicture = 0x2400;
const deletePicture = 0x2421;

/** Control characters, and the marks that turn the reading direction. Joiners stay: emoji and scripts are made of them. */
const invisible = /[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * A name from outside on one line, with what cannot be seen made visible: a line break as "␊", a right-to-left
 * override as "\u202e". Otherwise two names can look the same, and one can look like another read backwards.
 */
export function formatVisible(name: string): string {
  return name.replace(invisible, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x7f) return String.fromCharCode(deletePicture);
    if (code < 0x20) return String.fromCharCode(firstPicture + code);
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
