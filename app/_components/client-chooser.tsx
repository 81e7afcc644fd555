'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { clientDetailOptions } from '@/app/_ask/client-question';
import type { ClientSummary } from '@/lib/api/schema';
import { useFoundClients } from '../_hooks/fleet-queries';
import { type Choice, ChoiceBox } from './choice-box';

interface ClientChooserProps {
  readonly label: string;
  /** In front of the field. */
  readonly word: string;
  /** Empty: none, or all of them. */
  readonly clientId: string;
  /** What no client is called, and can be chosen as; not there: a client must be. */
  readonly allText?: string;
  readonly onChange: (clientId: string) => void;
  readonly className?: string;
}

/** One more than are shown: that there are more is said. */
const mostFound = 51;

/** One client of any number: who is not among the first ones is found by typing a part of its name, on the server. */
export function ClientChooser({ label, word, clientId, allText, onChange, className }: ClientChooserProps) {
  const [typed, setTyped] = useState('');
  const { data: clients = [] } = useFoundClients(quoted(typed), mostFound);
  const { data: chosen } = useQuery({
    ...clientDetailOptions({ clientId }),
    enabled: clientId !== '',
    retry: false,
  });
  const choices = useMemo(
    () => [...(allText === undefined ? [] : [{ id: '', text: allText }]), ...clients.map(clientChoice)],
    [clients, allText],
  );
  // The list has the name of what is chosen from it before the details of the client are loaded.
  const named = chosen?.id === clientId ? chosen : clients.find(({ id }) => id === clientId);
  const name = named === undefined ? clientId : clientText(named);
  return (
    <ChoiceBox
      label={label}
      word={word}
      current={clientId === '' ? (allText ?? '') : name}
      choices={choices}
      onSearch={setTyped}
      placeholder="part of a name"
      onChoose={onChange}
      onType={(text) => `no client has ${JSON.stringify(text.trim())} as its name; choose one of the list`}
      {...(className !== undefined && { className })}
    />
  );
}

/** As a filter of the fleet: the words as they are. */
export function quoted(typed: string): string {
  return typed.trim() === '' ? '' : `"${typed.trim().replaceAll('"', '')}"`;
}

export function clientChoice(client: ClientSummary): Choice {
  const { id, isProbe, freshness } = client;
  const hints = [isProbe ? 'probe' : '', freshness === 'live' ? '' : freshness].filter((hint) => hint !== '');
  return { id, text: clientText(client), ...(hints.length > 0 && { hint: hints.join(', ') }) };
}

export function clientText({ nodeId, scope }: Pick<ClientSummary, 'nodeId' | 'scope'>): string {
  const name = nodeId === '' ? '(empty node id)' : nodeId;
  return scope === '' ? name : `${name} · ${scope}`;
}
