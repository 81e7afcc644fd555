import { describe, expect, it } from 'vitest';
import { clientViews } from '@/lib/views/client/client-views';
import { missions } from '@/lib/views/lab/missions';
import { shopClients } from '@/server/lab/clients/shop-clients';
import { faults } from '@/server/lab/shop/fault';
import { fleetPages } from '../../../support/pages';

describe('the missions of the lab', () => {
  it('are seven', () => {
    expect(new Set(missions.map(({ id }) => id)).size).toBe(7);
  });

  it.each(missions)('$title: its fault, clients and pages exist', ({ fault, hints }) => {
    if (fault !== null) expect(faults.map(({ name }) => name)).toContain(fault);
    expect(hints.length).toBeGreaterThan(1);
    for (const { screen } of hints) {
      const [path = ''] = screen.path.split('?');
      if (screen.client === null) expect([...fleetPages, '/search']).toContain(path);
      else {
        expect(shopClients.map(({ name }) => name)).toContain(screen.client);
        expect(Object.keys(clientViews)).toContain(path.slice(1));
      }
    }
  });
});
