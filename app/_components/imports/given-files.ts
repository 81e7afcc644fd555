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

export interface GivenFiles {
  readonly files: readonly File[];
  /** What was given as well, and is none of them. */
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

/** More of a folder are left out. */
const mostOfFolder = 200;

/** Files of a drop, those in folders as well: named with the way to them, hidden ones left out. */
export async function droppedFiles(data: DataTransfer): Promise<GivenFiles> {
  // What was dropped is readable only now, and before anything else happens.
  const given = [...data.items].map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
  const files: File[] = [];
  const left: { name: string; reason: string }[] = [];
  for (const { entry, file } of given) {
    if (!entry?.isDirectory) {
      if (file !== null) files.push(file);
      continue;
    }
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

async function filesBelow(folder: FileSystemDirectoryEntry, most: number): Promise<File[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  // A reader reports a hundred at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) break;
    entries.push(...some);
  }
  const files: File[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (files.length >= most) break;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory) {
      files.push(...(await filesBelow(entry as FileSystemDirectoryEntry, most - files.length)));
    } else {
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      );
      files.push(new File([file], entry.fullPath.replace(/^\//, ''), { type: file.type }));
    }
  }
  return files;
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
