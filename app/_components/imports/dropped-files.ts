/** Shorter pasted text is not imported. */
const fewestChars = 20;

/** Dropped or pasted files; pasted text becomes a file. */
export function filesOf(data: DataTransfer | null): File[] {
  if (data === null) return [];
  const files = [...data.files];
  if (files.length > 0) return files;
  const text = data.getData('text/plain');
  return looksLikeDocument(text) ? [new File([text], nameOf(text))] : [];
}

export interface DroppedFiles {
  readonly files: readonly File[];
  /** Items that are not imported, with the reason. */
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

const mostOfFolder = 200;

/** Dropped files, including those in folders, named by their path; hidden files are ignored. */
export async function droppedFiles(data: DataTransfer): Promise<DroppedFiles> {
  // The items are only readable synchronously in the event handler.
  const given = [...data.items].map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
  const files: File[] = [];
  const left: { name: string; reason: string }[] = [];
  for (const { entry, file } of given) {
    if (!entry?.isDirectory) {
      if (file !== null) files.push(file);
      continue;
    }
    const { filesBelow } = await import('./folder-files');
    const below = await filesBelow(entry as FileSystemDirectoryEntry, mostOfFolder + 1);
    files.push(...below.slice(0, mostOfFolder));
    if (below.length === 0) left.push({ name: entry.name, reason: 'the folder has no files' });
    if (below.length > mostOfFolder) {
      left.push({
        name: entry.name,
        reason: `the folder has more than ${mostOfFolder} files; only the first ${mostOfFolder} are imported`,
      });
    }
  }
  return { files, left };
}

/** True for JSON and for YAML of several lines. */
export function looksLikeDocument(text: string): boolean {
  if (text.length < fewestChars) return false;
  return (
    /^\s*[{[]/.test(text) || /^\s*(?:#.*\n|---\s*\n)*\s*(?:- )?["']?[\w@.-]+["']?\s*[:{].*(?:\n|$)/.test(text)
  );
}

function nameOf(text: string): string {
  return /^\s*[{[]/.test(text) ? 'pasted.json' : 'pasted.yaml';
}

export function isEditable(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest('input, textarea, select, [contenteditable="true"]') !== null
  );
}
