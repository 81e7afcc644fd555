'use client';

import { useState } from 'react';
import type { Loaded } from '@/app/_components/loaded';
import { QueryContent } from '@/app/_components/query-content';
import { formatCounted } from '@/lib/format/count';
import type { ApiFinding, ClientFindings, ResourceFindings } from '@/lib/views/findings/schema';
import { nameOf, type Profile } from '@/lib/xds/profile';
import { requestsType } from '@/lib/xds/requested-types';
import { FindingItem } from './finding-item';
import { ProfileChoice } from './profile-choice';

/** The content is below. A large resource may have a thousand findings. */
const shownAtFirst = 5;
const shownAtOnce = 100;

interface ShownField {
  readonly path: string;
  readonly role: string;
}

interface FindingsSectionProps {
  readonly typeUrl: string;
  readonly findings: Loaded<ClientFindings>;
  readonly profile: Profile;
  readonly onProfileChange: (profile: Profile) => void;
  readonly shown: ShownField | null;
  readonly onShow: (field: ShownField) => void;
}

export function FindingsSection(props: FindingsSectionProps) {
  const { typeUrl, findings, profile, onProfileChange } = props;
  return (
    <QueryContent query={findings} what="the findings" rows={2}>
      {(data) =>
        data.counts.validated === 0 ? null : (
          <section aria-label="Validation" className="flex flex-col gap-2">
            <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
              <h3 className="text-medium font-semibold">Validation</h3>
              <span className="note">{verdictText(data, profile, typeUrl)}</span>
              <span className="ml-auto">
                <ProfileChoice profile={profile} onChange={onProfileChange} />
              </span>
            </header>
            {data.items.map((item) => (
              <ItemFindings key={item.role} {...props} item={item} isHint={data.isHint} />
            ))}
          </section>
        )
      }
    </QueryContent>
  );
}

function verdictText(
  { counts, isHint, profileReason }: ClientFindings,
  profile: Profile,
  typeUrl: string,
): string {
  if (isHint) return `${formatCounted(counts.findings, 'hint')}; ${nameOf(profile)}: ${profileReason}`;
  const name = nameOf(profile);
  const accepted = requestsType(profile, typeUrl) ? 'would accept it' : 'does not request this type';
  const verdict = `${name} ${counts.nacked[profile] > 0 ? 'would not use it' : accepted}`;
  return counts.findings === 0
    ? `no findings: ${verdict}`
    : `${formatCounted(counts.findings, 'finding')}; ${verdict}`;
}

function ItemFindings({
  item,
  isHint,
  profile,
  shown,
  onShow,
}: FindingsSectionProps & { readonly item: ResourceFindings } & Pick<ClientFindings, 'isHint'>) {
  const [most, setMost] = useState(shownAtFirst);
  if (item.findings.length === 0) return null;
  const sorted = [...item.findings].sort(loudestFirst(profile));
  const isShown = ({ fieldPath }: ApiFinding): boolean =>
    shown !== null && shown.path === fieldPath && (shown.role === '' || shown.role === item.role);
  const listed = sorted.filter((finding, place) => place < most || isShown(finding));
  const hidden = sorted.length - listed.length;
  return (
    <>
      {item.isRejected && <p className="note">In the rejected content:</p>}
      <ul className="flex flex-col gap-1.5 text-medium">
        {listed.map((finding) => (
          <FindingItem
            key={`${finding.ruleId} ${finding.message}`}
            finding={finding}
            profile={profile}
            isHint={isHint}
            isShown={isShown(finding)}
            onShow={() => onShow({ path: finding.fieldPath, role: item.role })}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <button
          type="button"
          onClick={() => setMost(most + shownAtOnce)}
          className="min-h-6 self-start text-small link-quiet"
        >
          {formatCounted(hidden, 'more finding')}
        </button>
      )}
    </>
  );
}

function loudestFirst(profile: Profile) {
  const rank = ({ reactions }: ApiFinding): number =>
    reactions[profile] === 'NACK' ? 0 : Object.values(reactions).includes('NACK') ? 1 : 2;
  return (a: ApiFinding, b: ApiFinding): number => rank(a) - rank(b);
}
