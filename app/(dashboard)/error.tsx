'use client';

import { ErrorState } from '../_components/error-state';

interface ErrorPageProps {
  readonly error: unknown;
  readonly retry: () => void;
}

/** Inside the frame, so that the other places stay at hand. */
export default function DashboardError({ error, retry }: ErrorPageProps) {
  return (
    <ErrorState
      title="This page could not be shown"
      error={error}
      hint="What xdscope recorded is not touched by this."
      onRetry={retry}
    />
  );
}
