'use client';

import { useQuery } from '@tanstack/react-query';
import { checkOptions } from '@/app/_ask/check';
import { ClientChooser } from '@/app/_components/client-chooser';
import { EmptyState } from '@/app/_components/empty-state';
import { QueryContent } from '@/app/_components/query-content';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { ApiError } from '@/app/_hooks/api-error';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { AgainstPanel } from '@/app/_views/check/against-panel';
import { CheckSummary } from '@/app/_views/check/check-summary';
import { DanglingPanel } from '@/app/_views/check/dangling-panel';
import { InputPanel } from '@/app/_views/check/input-panel';
import { MatrixPanel } from '@/app/_views/check/matrix-panel';
import { RemovalPanel } from '@/app/_views/check/removal-panel';
import { ResourcePanel } from '@/app/_views/check/resource-panel';
import { useCheckQuery } from '@/app/_views/check/search-params';
import { useCheckInput } from '@/app/_views/check/use-check-input';

const typingPauseMs = 400;

export function CheckPage() {
  useLiveStream('fleet');
  const { query, setQuery } = useCheckQuery();
  const input = useCheckInput(query);
  const text = useDebounced(input.text, typingPauseMs);
  const document = input.file?.file ?? (text.trim() === '' ? null : text);
  const answer = useQuery(
    checkOptions({
      ...{ document, clientId: query.client },
      ...{ show: query.show, ask: query.ask, whole: query.whole },
    }),
  );
  return (
    <PageBody>
      <PageHead
        title="Check"
        vantage="by the rules of each client version; nothing is sent or stored"
        actions={
          <ClientChooser
            label="The client to compare with"
            word="Compare with"
            clientId={query.client}
            allText="no client"
            onChange={(client) => void setQuery({ client })}
          />
        }
      />
      <div className="grid items-start gap-3 xl:grid-cols-[minmax(24rem,2fr)_3fr]">
        <InputPanel
          input={input}
          isWhole={query.whole}
          onWhole={(whole) => void setQuery({ whole })}
          onChange={() => void setQuery({ body: '', type: '', show: -1, field: '' })}
        />
        {document === null ? (
          <EmptyState title="Nothing to check yet">
            Paste or drop resources: YAML, JSON, protobuf, a config dump or a folder. Each is judged by the
            rules of the clients of this fleet, before a control plane sends it.
          </EmptyState>
        ) : answer.error instanceof ApiError && answer.error.status === 400 ? (
          <EmptyState title="No resource can be read">{answer.error.message}</EmptyState>
        ) : (
          <QueryContent query={answer} what="the verdicts" rows={6}>
            {(check) => (
              <div className="flex min-w-0 flex-col gap-3" aria-busy={answer.isPlaceholderData}>
                <CheckSummary check={check} />
                {check.total > 0 && (
                  <MatrixPanel
                    check={check}
                    onAsk={() => void setQuery({ ask: true })}
                    onShow={(index) => void setQuery({ show: index, field: '' }, { history: 'push' })}
                  />
                )}
                <ResourcePanel
                  check={check}
                  field={query.field}
                  onField={(field) => void setQuery({ field }, { history: 'push' })}
                />
                <RemovalPanel check={check} />
                <DanglingPanel check={check} />
                <AgainstPanel against={check.against} />
              </div>
            )}
          </QueryContent>
        )}
      </div>
    </PageBody>
  );
}
