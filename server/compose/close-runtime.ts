interface Closable {
  close(): Promise<void>;
}

interface RuntimeParts {
  readonly registry: Closable;
  readonly lab: Closable;
  /** Threads that read for the sources and the API. */
  readonly workers: readonly Closable[];
  readonly stream: { close(): void };
  readonly checkpoints: Closable | undefined;
  readonly storage: Closable;
}

/**
 * Sources, lab and workers end concurrently, because a source waits for the answer that is being read, a worker may
 * take a minute for that, and neither may delay the end of the lab's child processes. The observations until then are
 * written last.
 */
export async function closeRuntime(parts: RuntimeParts): Promise<void> {
  // The order matters: a source that is closed first does not report the end of its worker as a failure.
  const ending = [parts.registry, parts.lab, ...parts.workers].map((part) => part.close());
  await Promise.all(ending);
  parts.stream.close();
  await parts.checkpoints?.close();
  await parts.storage.close();
}
