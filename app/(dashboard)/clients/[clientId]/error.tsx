'use client';

import { ErrorState } from '@/app/_components/error-state';

interface ErrorPageProps {
  readonly error: unknown;
  readonly retry: () => void;
}

export default function ClientErrorPage({ error, retry }: ErrorPageProps) {
  return (
    <ErrorState
      title="This client's page could not be shown"
      error={error}
      hint="What xdscope recorded is not touched by this; the other clients' pages work."
      onRetry={retry}
    />
  );
}
