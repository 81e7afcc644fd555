'use client';

import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { ApiError } from '@/app/_hooks/api-error';
import { formatBytes } from '@/lib/format/bytes';
import { largestImportBytes } from '@/lib/views/recording/largest-import';
import { useUpload } from '../../_ask/use-command';
import type { RepeatedFile } from './repeated-dialog';

const RepeatedDialog = dynamic(() =>
  import('./repeated-dialog').then(({ RepeatedDialog }) => RepeatedDialog),
);

interface WaitingFile {
  readonly key: number;
  readonly file: File;
  /** It is sent although the same file was imported before. */
  readonly isAgain: boolean;
}

interface UnsentFile {
  readonly key: number;
  readonly name: string;
  readonly reason: string;
}

interface ImportQueue {
  /** The files in the order of sending, without the current one. */
  readonly waiting: readonly WaitingFile[];
  readonly unsent: readonly UnsentFile[];
  /** Sends the files. The reader decides about those that were imported before. */
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
  const [repeated, setRepeated] = useState<readonly RepeatedFile[]>([]);
  const [isSending, setSending] = useState(false);

  useEffect(() => {
    const [next] = waiting;
    if (isSending || next === undefined) return;
    setWaiting((known) => known.filter(({ key }) => key !== next.key));
    setSending(true);
    const { key, file, isAgain } = next;
    mutateAsync({ file, isAgain })
      .catch((error: Error) => {
        if (error instanceof ApiError && error.importId !== undefined) {
          const { importId } = error;
          setRepeated((before) => [...before, { file, importId }]);
        } else setUnsent((known) => [...known, { key, name: file.name, reason: error.message }]);
      })
      .finally(() => setSending(false));
  }, [waiting, isSending, mutateAsync]);

  const send = useCallback((files: readonly File[], isAgain: boolean): void => {
    const added = files.map((file) => {
      newestKey += 1;
      return { key: newestKey, file, isAgain };
    });
    setWaiting((before) => [...before, ...added]);
  }, []);
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
        send(
          files.filter(({ size }) => size <= largestImportBytes),
          false,
        );
      },
      leaveOut: (keys) => setWaiting((known) => known.filter(({ key }) => !keys.includes(key))),
      forgetUnsent: () => setUnsent([]),
    };
  }, [waiting, unsent, send]);
  const [first] = repeated;
  const decide = (isWanted: boolean): void => {
    if (first !== undefined && isWanted) send([first.file], true);
    setRepeated((before) => before.slice(1));
  };
  return (
    <Context value={queue}>
      {children}
      {first !== undefined && (
        <RepeatedDialog repeated={first} onSend={() => decide(true)} onLeaveOut={() => decide(false)} />
      )}
    </Context>
  );
}

export function useImportQueue(): ImportQueue {
  const queue = useContext(Context);
  if (queue === null) throw new Error('useImportQueue() is called outside of an ImportQueueProvider');
  return queue;
}
