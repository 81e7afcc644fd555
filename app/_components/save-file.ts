export function saveFile(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The click only queues the download: the URL must stay valid a while longer.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
