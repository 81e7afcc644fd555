'use client';

import dynamic from 'next/dynamic';
import { parseAsString, useQueryState } from 'nuqs';

/** Most visits follow no mission. */
const MissionGuide = dynamic(() => import('./mission-guide'), { ssr: false });

/** The hint that the URL names, as in "hint=nack.1". */
export function MissionHint() {
  const [hint, setHint] = useQueryState('hint', parseAsString);
  return hint === null ? null : <MissionGuide hintKey={hint} onLeave={() => void setHint(null)} />;
}
