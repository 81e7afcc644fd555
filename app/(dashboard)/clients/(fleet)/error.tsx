'use client';

import { ErrorState } from '../../../_components/error-state';

interface ErrorPageProps {
  readonly error: unknown;
  readonly retry: () => void;
}

export default function ClientsError({ error, retry }: ErrorPageProps) {
  return <ErrorState title="The clients could not be shown" error={error} onRetry={retry} />;
}
