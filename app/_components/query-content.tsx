'use client';

import type { ReactNode } from 'react';
import { messageOf } from '@/lib/format/message-of';
import { ErrorState } from './error-state';
import { Skeleton } from './skeleton';
import { StaleBanner } from './stale-banner';

interface QueryContentProps<T> {
  readonly query: {
    /** undefined until the first answer. */
    readonly data: T | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** The name of the data that is loaded, as in "the clients". */
  readonly what: string;
  readonly rows?: number;
  /** What to do if the question cannot be answered as it is (a status below 500). */
  readonly hint?: string;
  readonly children: (data: T) => ReactNode;
}

/** The data of a query; a skeleton before the first answer; the error, above older data if there is any. */
export function QueryContent<T>({ query, what, rows, hint, children }: QueryContentProps<T>) {
  const { data, error, refetch } = query;
  if (data === undefined && error === null) return <Skeleton waitsFor={what} rows={rows} />;
  if (data === undefined) {
    const retry = () => void refetch();
    const shown = isOfQuestion(error) ? hint : undefined;
    return <ErrorState title={`Couldn’t load ${what}`} error={error} hint={shown} onRetry={retry} />;
  }
  return (
    <>
      {error !== null && <NotReloaded what={what} error={error} />}
      {children(data)}
    </>
  );
}

function isOfQuestion(error: unknown): boolean {
  return error instanceof Error && 'status' in error && Number(error.status) < 500;
}

function NotReloaded({ what, error }: { readonly what: string; readonly error: unknown }) {
  const message = messageOf(error);
  return (
    <div className="p-2">
      <StaleBanner>
        <strong className="font-semibold">Couldn’t reload {what}:</strong> {message}
        {/[.?!]$/.test(message) ? '' : '.'} The data below is from an earlier answer.
      </StaleBanner>
    </div>
  );
}
