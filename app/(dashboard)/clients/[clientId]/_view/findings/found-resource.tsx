'use client';

import { FindingItem } from '@/app/_components/findings/finding-item';
import { NameText } from '@/app/_components/name-text';
import { V2Mark } from '@/app/_components/v2-mark';
import type { ResourceFindings } from '@/lib/api/findings';
import { isTrouble } from '@/lib/validate/reactions';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { verdictTexts } from '@/lib/view-model/findings/reaction-shape';
import { nameOf, type Profile } from '@/lib/xds/profile';
import { useClientViewQuery } from '../use-client-view-query';
import { findingsParams } from './search-params';

interface FoundResourceProps {
  readonly item: ResourceFindings;
  readonly profile: Profile;
}

/** A resource with its findings, and the client's own error message if it rejected the resource. */
export function FoundResource({ item, profile }: FoundResourceProps) {
  const { query, setQuery, resource, openResource } = useClientViewQuery(findingsParams);
  const isOpen = resource !== null && resource.name === item.name && resource.typeUrl === item.typeUrl;
  return (
    <li className="flex flex-col gap-1.5 border-t border-line px-4 py-2.5">
      <p className="flex min-w-0 flex-wrap items-center gap-x-2">
        <span className="note">{item.service}</span>
        {item.apiVersion === 'v2' && <V2Mark />}
        <button
          type="button"
          className="min-w-0 text-left hover:underline"
          onClick={() => openResource(item)}
          title="Open in the inspector"
        >
          <NameText name={item.name} typeUrl={item.typeUrl} />
        </button>
        <span className={`text-small ${isTrouble(item.verdict) ? 'font-medium text-nacked' : 'text-muted'}`}>
          {nameOf(profile)} {verdictTexts[item.verdict]}
        </span>
        {item.isRejected && <span className="text-small text-timeout">rejected content</span>}
      </p>
      {item.clientError !== '' && (
        <p className="rounded-md bg-nacked/8 px-2 py-1 font-mono text-small break-words whitespace-pre-wrap">
          <span className="font-sans text-muted">Client: </span>
          {item.clientError}
        </p>
      )}
      <ul className="flex flex-col gap-1.5 text-medium">
        {item.findings.map((finding) => (
          <FindingItem
            key={`${finding.ruleId} ${finding.message}`}
            finding={finding}
            profile={profile}
            isShown={isOpen && query.field === finding.fieldPath && query.body === item.role}
            onShow={() =>
              setQuery(
                { resource: formatResourceRef(item), node: '', body: item.role, field: finding.fieldPath },
                'push',
              )
            }
          />
        ))}
      </ul>
    </li>
  );
}
