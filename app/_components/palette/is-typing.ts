/** The elements that take text. */
export const textFields = 'input:not([type=radio], [type=checkbox]), textarea';

/** Returns true if the element that has the focus takes a key as text. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`${textFields}, select, [contenteditable]`) !== null;
}
