export interface DroppedFiles {
  readonly files: readonly File[];
  /** Items that are not read, with the reason. */
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
        reason: `the folder has more than ${mostOfFolder} files; only the first ${mostOfFolder} are read`,
      });
    }
  }
  return { files, left };
}
