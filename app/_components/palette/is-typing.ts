/** The elements that take text. */
export const textFields = 'input:not([type=radio], [type=checkbox]), textarea';

/** Whether a key is text for the element that has the focus. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`${textFields}, select, [contenteditable]`) !== null;
}
