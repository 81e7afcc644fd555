import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { prefetchMoment } from '@/app/_ask/client-subject';

/** The shown time: it becomes the requested time as soon as the data of all visible parts is loaded. "": now. */
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
