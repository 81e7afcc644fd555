'use client';

import { ErrorState } from './_components/error-state';

interface ErrorPageProps {
  readonly error: unknown;
  readonly retry: () => void;
}

export default function ErrorPage({ error, retry }: ErrorPageProps) {
  return (
    <main className="p-6">
      <ErrorState
        title="This page could not be shown"
        error={error}
        hint="What xdscope recorded is not touched by this."
        onRetry={retry}
      />
    </main>
  );
}
