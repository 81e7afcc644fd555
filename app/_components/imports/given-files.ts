/** Shorter text that somebody pastes is no document. */
const fewestChars = 20;

/** Files of a drop or a paste; text that is pasted becomes one. */
export function filesOf(data: DataTransfer | null): File[] {
  if (data === null) return [];
  const files = [...data.files];
  if (files.length > 0) return files;
  const text = data.getData('text/plain');
  return looksLikeDocument(text) ? [new File([text], nameOf(text))] : [];
}

/** JSON, or YAML of some lines: a word or an address that is pasted is meant for nothing. */
export function looksLikeDocument(text: string): boolean {
  if (text.length < fewestChars) return false;
  return (
    /^\s*[{[]/.test(text) || /^\s*(?:#.*\n|---\s*\n)*\s*(?:- )?["']?[\w@.-]+["']?\s*[:{].*(?:\n|$)/.test(text)
  );
}

function nameOf(text: string): string {
  return /^\s*[{[]/.test(text) ? 'pasted.json' : 'pasted.yaml';
}

/** Is something typed there? Then what is pasted belongs there. */
export function isEditable(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest('input, textarea, select, [contenteditable="true"]') !== null
  );
}
