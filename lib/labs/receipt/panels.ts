/** What an independent reader finds, as SQL (README.md, "One file, three transactions"). */
import type { EvidenceSpec } from '../kit/evidence.ts';
import { LAB, PROPERTY, STORE } from './words.ts';

const json = (which: 'from' | 'to') =>
  `json_object('version', ${which}_version, '${PROPERTY}', json(iif(${which}_value, 'true', 'false')))`;

export const evidence: EvidenceSpec = {
  id: 'receipt',
  stores: [LAB],
  panels: {
    operation: {
      title: 'ledger',
      columns: ['status', 'digest', 'target', 'expectedVersion', 'value'],
      from: [
        {
          store: STORE,
          key: 'operation',
          booleans: ['value'],
          sql: `SELECT operation, status, digest, target, expected_version AS expectedVersion, value
                FROM operations ORDER BY operation`,
        },
      ],
    },
    target: {
      title: 'target',
      columns: ['version', PROPERTY],
      from: [
        {
          store: STORE,
          key: 'target',
          booleans: [PROPERTY],
          sql: `SELECT target, version, block_public_access AS ${PROPERTY} FROM targets ORDER BY target`,
        },
      ],
    },
    receipts: {
      title: 'receipts',
      columns: ['digest', 'target', 'fromVersion', 'version'],
      from: [
        {
          store: STORE,
          key: 'operation',
          sql: `SELECT operation, digest, target, from_version AS fromVersion, version
                FROM receipts ORDER BY operation`,
        },
      ],
    },
    events: {
      title: 'history',
      columns: ['operation', 'kind', 'detail'],
      from: [
        { store: STORE, key: 'seq', sql: 'SELECT seq, operation, kind, detail FROM events ORDER BY seq' },
        {
          store: STORE,
          key: 'key',
          sql: `SELECT 'decision/' || seq AS key, operation, 'decided-' || conclusion AS kind,
                       decided_by || ' looked at ' || looked || ': ' || showed AS detail
                FROM decisions ORDER BY seq`,
        },
      ],
    },
  },
  truth: [
    {
      store: STORE,
      sql: `SELECT target, operation, actor, ${json('from')} AS before, ${json('to')} AS after
            FROM ground_truth ORDER BY seq`,
    },
  ],
};
