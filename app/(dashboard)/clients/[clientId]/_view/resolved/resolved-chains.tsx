'use client';

import type { Resolved } from '@/lib/api/resolved';
import { formatCounted } from '@/lib/format/count';
import { keyed } from './keyed';
import { ResolvedChain } from './resolved-chain';
import { ResolvedSection } from './resolved-section';
import { useGrowing } from './use-growing';

const chainsAtATime = 10;

export function ResolvedChains({ resolved }: { readonly resolved: Resolved }) {
  const { chains, listener, start, dynamic } = resolved;
  const { shown, more } = useGrowing(chains, chainsAtATime);
  if (start === null || (listener === null && chains.length === 0)) return null;
  return (
    <ResolvedSection
      title="Chain"
      count={chains.length > 1 ? formatCounted(chains.length, 'filter chain') : undefined}
    >
      <div className="flex flex-col gap-4 px-4 pb-4">
        {keyed(shown, ({ name }) => name).map(({ key, item, place }) => (
          <ResolvedChain
            key={key}
            chain={item}
            table={String(place - 1)}
            listener={place === 1 ? listener : null}
            start={start}
            isAlone={chains.length === 1}
          />
        ))}
        {more}
        {dynamic.length > 0 && (
          <div>
            <h3 className="note">Clusters chosen per request</h3>
            <ul>
              {dynamic.map(({ plugin, typeName, text }) => (
                <li key={`${plugin} ${typeName} ${text}`} className="break-words">
                  <span className="font-mono text-[0.9286em]">{plugin || typeName}</span>{' '}
                  <span className="text-muted">{text}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </ResolvedSection>
  );
}
