/** Saves text as a file, made in the browser: nothing is asked of the server. */
export function downloadText(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The click has only queued the download: the URL must outlive this turn.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
