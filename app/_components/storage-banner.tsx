'use client';

import { describeStorage } from '@/lib/view-model/sources/describe-storage';
import { useHealth } from '../_hooks/queries';
import { StaleBanner } from './stale-banner';

/** States on every page that nothing is recorded, or that a part of the recording is unreadable. */
export function StorageBanner() {
  const { data: health } = useHealth();
  const remarks = health === undefined ? [] : describeStorage(health);
  return remarks.map(({ title, text, tone }) => (
    <div key={title + text} className="px-3 pt-3 md:px-5">
      <StaleBanner tone={tone}>
        <strong className="font-semibold">{title}:</strong> {text}
      </StaleBanner>
    </div>
  ));
}
