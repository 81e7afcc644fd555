'use client';

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { largestImportBytes } from '@/lib/api/largest-import';
import { formatBytes } from '@/lib/format/bytes';
import { useUpload } from '../../_hooks/use-command';

export interface WaitingFile {
  readonly key: number;
  readonly file: File;
}

export interface UnsentFile {
  readonly key: number;
  readonly name: string;
  readonly reason: string;
}

export interface ImportQueue {
  /** In the order of sending, without the current one. */
  readonly waiting: readonly WaitingFile[];
  readonly unsent: readonly UnsentFile[];
  give(files: readonly File[]): void;
  reportUnsent(name: string, reason: string): void;
  leaveOut(keys: readonly number[]): void;
  forgetUnsent(): void;
}

const Context = createContext<ImportQueue | null>(null);
let newestKey = 0;

/** Uploads files one after another, so that connections remain free for requests of the page. */
export function ImportQueueProvider({ children }: { readonly children: ReactNode }) {
  const { mutateAsync } = useUpload('imports');
  const [waiting, setWaiting] = useState<readonly WaitingFile[]>([]);
  const [unsent, setUnsent] = useState<readonly UnsentFile[]>([]);
  const [isSending, setSending] = useState(false);

  useEffect(() => {
    const [next] = waiting;
    if (isSending || next === undefined) return;
    setWaiting((known) => known.filter(({ key }) => key !== next.key));
    setSending(true);
    const { key, file } = next;
    mutateAsync(file)
      .catch((error: Error) =>
        setUnsent((known) => [...known, { key, name: file.name, reason: error.message }]),
      )
      .finally(() => setSending(false));
  }, [waiting, isSending, mutateAsync]);

  const queue = useMemo<ImportQueue>(() => {
    const reportUnsent = (name: string, reason: string): void => {
      newestKey += 1;
      const key = newestKey;
      setUnsent((known) => [...known, { key, name, reason }]);
    };
    return {
      waiting,
      unsent,
      reportUnsent,
      give: (files) => {
        for (const { name, size } of files) {
          if (size > largestImportBytes) {
            reportUnsent(
              name,
              `expected at most ${formatBytes(largestImportBytes)}, got ${formatBytes(size)}`,
            );
          }
        }
        const fitting = files.filter(({ size }) => size <= largestImportBytes);
        const added = fitting.map((file) => {
          newestKey += 1;
          return { key: newestKey, file };
        });
        setWaiting((known) => [...known, ...added]);
      },
      leaveOut: (keys) => setWaiting((known) => known.filter(({ key }) => !keys.includes(key))),
      forgetUnsent: () => setUnsent([]),
    };
  }, [waiting, unsent]);
  return <Context value={queue}>{children}</Context>;
}

export function useImportQueue(): ImportQueue {
  const queue = useContext(Context);
  if (queue === null) throw new Error('useImportQueue() is called outside of an ImportQueueProvider');
  return queue;
}
