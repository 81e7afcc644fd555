'use client';

import { ErrorState } from '../_components/error-state';

interface ErrorPageProps {
  readonly error: unknown;
  readonly retry: () => void;
}

/** Rendered inside the shell, so that the navigation keeps working. */
export default function DashboardError({ error, retry }: ErrorPageProps) {
  const hint = 'Recorded data is not affected.';
  return <ErrorState title="Couldn’t show this page" error={error} hint={hint} onRetry={retry} />;
}
