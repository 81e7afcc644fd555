import { by } from '@/lib/collections/compare';
/** The first files of a folder and of those in it, by name; hidden files are ignored. */
export async function filesBelow(folder: FileSystemDirectoryEntry, most: number): Promise<File[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  // A reader returns at most 100 entries per call.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) break;
    entries.push(...some);
  }
  const files: File[] = [];
  for (const entry of entries.sort(by(({ name }) => name))) {
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
