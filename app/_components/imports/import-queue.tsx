'use client';

import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { ApiError } from '@/app/_hooks/api-error';
import { formatBytes } from '@/lib/format/bytes';
import { joinAnswers } from '@/lib/views/recording/join-answers';
import { largestImportBytes } from '@/lib/views/recording/largest-import';
import { useUpload } from '../../_ask/use-command';
import type { GivenFiles } from './given-files';
import type { RepeatedFile } from './repeated-dialog';

const RepeatedDialog = dynamic(() =>
  import('./repeated-dialog').then(({ RepeatedDialog }) => RepeatedDialog),
);

interface WaitingFile extends GivenFiles {
  readonly key: number;
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
  /** Sends the files, the answers of one Envoy together. The reader decides about those that were imported before. */
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
    const { key, name, files, isAgain } = next;
    mutateAsync({ name, files, isAgain })
      .catch((error: Error) => {
        if (error instanceof ApiError && error.importId !== undefined) {
          const { importId } = error;
          setRepeated((before) => [...before, { name, files, importId }]);
        } else setUnsent((known) => [...known, { key, name, reason: error.message }]);
      })
      .finally(() => setSending(false));
  }, [waiting, isSending, mutateAsync]);

  const send = useCallback((given: readonly GivenFiles[], isAgain: boolean): void => {
    const added = given.map((each) => {
      newestKey += 1;
      return { ...each, key: newestKey, isAgain };
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
        const given = joinAnswers(files, ({ name }) => name).map(({ files: own, name }) => ({
          name: name || (own[0]?.name ?? ''),
          files: own,
          sizeBytes: own.reduce((sum, { size }) => sum + size, 0),
        }));
        for (const { name, sizeBytes } of given) {
          if (sizeBytes > largestImportBytes) {
            reportUnsent(
              name,
              `expected at most ${formatBytes(largestImportBytes)}, got ${formatBytes(sizeBytes)}`,
            );
          }
        }
        send(
          given.filter(({ sizeBytes }) => sizeBytes <= largestImportBytes),
          false,
        );
      },
      leaveOut: (keys) => setWaiting((known) => known.filter(({ key }) => !keys.includes(key))),
      forgetUnsent: () => setUnsent([]),
    };
  }, [waiting, unsent, send]);
  const [first] = repeated;
  const decide = (isWanted: boolean): void => {
    if (first !== undefined && isWanted) send([first], true);
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
