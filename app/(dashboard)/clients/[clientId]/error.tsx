'use client';

import { ErrorState } from '@/app/_components/error-state';

interface ErrorPageProps {
  readonly error: unknown;
  readonly retry: () => void;
}

export default function ClientErrorPage({ error, retry }: ErrorPageProps) {
  return (
    <ErrorState
      title="Couldn’t show this client"
      error={error}
      hint="Recorded data is not affected."
      onRetry={retry}
    />
  );
}
