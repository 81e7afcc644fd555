type ReadStored<Stored> =
  | { readonly kind: 'found'; readonly stored: Stored }
  | { readonly kind: 'unknown' }
  /** It is stored and cannot be read; `reason` has the expected and the actual value. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads what a permalink has stored. */
export async function readStored<Stored>(read: () => Promise<Stored>): Promise<ReadStored<Stored>> {
  try {
    return { kind: 'found', stored: await read() };
  } catch (error) {
    // Compared by name, because the server's bundle has its own classes.
    const isReason =
      error instanceof Error && ['ApiError', 'RecorderError', 'ConfigError'].includes(error.name);
    if (!isReason) throw error;
    if ('status' in error && error.status === 404) return { kind: 'unknown' };
    return { kind: 'unreadable', reason: error.message };
  }
}
