'use client';

import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useItems } from '@/app/_ask/use-question';
import { formatBytes } from '@/lib/format/bytes';
import { largestImportBytes } from '@/lib/views/recording/largest-import';
import { findSameImport } from '@/lib/views/sources/find-same-import';
import { useUpload } from '../../_ask/use-command';
import type { RepeatedFile } from './repeated-dialog';

const RepeatedDialog = dynamic(() =>
  import('./repeated-dialog').then(({ RepeatedDialog }) => RepeatedDialog),
);

interface WaitingFile {
  readonly key: number;
  readonly file: File;
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
  /** Sends the files, once the reader has confirmed those that were probably imported before. */
  give(files: readonly File[]): void;
  /** Sends the files without a question. */
  send(files: readonly File[]): void;
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
  const { data: imports } = useItems('imports', {});
  const known = useRef(imports);
  known.current = imports;
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
    const send = (files: readonly File[]): void => {
      const added = files.map((file) => {
        newestKey += 1;
        return { key: newestKey, file };
      });
      setWaiting((before) => [...before, ...added]);
    };
    const reportUnsent = (name: string, reason: string): void => {
      newestKey += 1;
      const key = newestKey;
      setUnsent((known) => [...known, { key, name, reason }]);
    };
    return {
      waiting,
      unsent,
      send,
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
        const again = fitting.flatMap((file) => {
          const earlier = findSameImport(file, known.current ?? []);
          return earlier === undefined ? [] : [{ file, earlier }];
        });
        setRepeated((before) => [...before, ...again]);
        send(fitting.filter((file) => !again.some((each) => each.file === file)));
      },
      leaveOut: (keys) => setWaiting((known) => known.filter(({ key }) => !keys.includes(key))),
      forgetUnsent: () => setUnsent([]),
    };
  }, [waiting, unsent]);
  const [first] = repeated;
  const decide = (isWanted: boolean): void => {
    if (first !== undefined && isWanted) queue.send([first.file]);
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
