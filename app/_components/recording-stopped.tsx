'use client';

import { useHealth } from '../_hooks/queries';
import { StaleBanner } from './stale-banner';

/** Says that nothing new comes into the log, and why; nothing while it records. */
export function RecordingStopped() {
  const recorder = useHealth().data?.recorder;
  if (recorder?.state !== 'stopped') return null;
  return (
    <StaleBanner>
      <strong className="font-semibold">Recording has stopped:</strong>{' '}
      {recorder.reason === '' ? 'the reason is not known' : recorder.reason}. What was recorded can still be
      read.
    </StaleBanner>
  );
}
