'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { prefetchMoment } from '@/app/_ask/client-subject';

/**
 * The moment that is in sight: the one that is wanted, as soon as all that is in sight is there of it. "" is now. Until
 * then everything stays at the moment before.
 */
export function useShownMoment(clientId: string, wanted: string): string {
  const cache = useQueryClient();
  const [shown, setShown] = useState(wanted);
  useEffect(() => {
    if (wanted === shown) return;
    let isOver = false;
    void prefetchMoment(cache, clientId, shown, wanted).then(() => {
      if (!isOver) setShown(wanted);
    });
    return () => {
      isOver = true;
    };
  }, [cache, clientId, shown, wanted]);
  return shown;
}
