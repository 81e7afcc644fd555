'use client';

import type { ClientFindings } from '@/lib/api/findings';
import { formatCount } from '@/lib/format/count';

interface FindingRulesProps {
  readonly rules: ClientFindings['counts']['byRule'];
  /** Rule id; empty: all of them. */
  readonly chosen: string;
  readonly onChoose: (ruleId: string) => void;
}

/** Which rules are broken, and how often; one of them can be chosen. */
export function FindingRules({ rules, chosen, onChoose }: FindingRulesProps) {
  if (rules.length === 0) return null;
  return (
    <ul aria-label="Broken rules" className="flex flex-wrap gap-1.5 border-b border-line px-4 py-2">
      {rules.map(({ ruleId, source, findings, nacked }) => (
        <li key={ruleId}>
          <button
            type="button"
            aria-pressed={ruleId === chosen}
            onClick={() => onChoose(ruleId === chosen ? '' : ruleId)}
            title={`${source}: ${findings} found, ${nacked} rejected`}
            className={`inline-flex items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-[0.8571rem] hover:bg-hover ${ruleId === chosen ? 'border-accent bg-hover' : 'border-line'}`}
          >
            <span className="font-mono font-medium">{ruleId}</span>
            <span className={nacked > 0 ? 'text-nacked' : 'text-muted'}>
              {nacked > 0 ? `${formatCount(nacked)} rejected` : formatCount(findings)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
