/** The client that a question is about. `at` is a moment as the URL states it; absent: now. */
export type ClientRef =
  | { readonly clientId: string; readonly at?: string | undefined }
  | { readonly permalinkId: string };
