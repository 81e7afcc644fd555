'use client';

import { FindingItem } from '@/app/_components/findings/finding-item';
import { Panel } from '@/app/_components/panel';
import { formatCounted } from '@/lib/format/count';
import type { NackDetail } from '@/lib/views/nacks/schema';
import { nameOf } from '@/lib/xds/profile';

interface FindingsPanelProps {
  readonly nack: NackDetail;
  readonly shownField: string;
  readonly onShow: (path: string) => void;
}

export function FindingsPanel({ nack, shownField, onShow }: FindingsPanelProps) {
  const { findings, profile, payload, acceptingVersion } = nack;
  return (
    <Panel title="Validation" vantage={`validated with ${nameOf(profile)} rules`}>
      {payload === undefined ? (
        <p className="text-muted">The rejected content is unknown, so it cannot be validated.</p>
      ) : findings.length === 0 ? (
        <p className="text-muted">
          This content breaks no rule known to xdscope. The client has an additional rule, or rejected other
          content.
        </p>
      ) : (
        <>
          <p className="mb-2 note">
            {formatCounted(findings.length, 'finding')}; those that {nameOf(profile)} rejects first.
            {acceptingVersion === undefined ? '' : ` ${acceptingVersion}`}
          </p>
          <ul className="-m-1 flex max-h-[28rem] flex-col gap-2 overflow-y-auto p-1">
            {findings.map((finding) => (
              <FindingItem
                key={`${finding.ruleId} ${finding.message}`}
                finding={finding}
                profile={profile}
                isShown={finding.fieldPath === shownField}
                onShow={() => onShow(finding.fieldPath)}
              />
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
