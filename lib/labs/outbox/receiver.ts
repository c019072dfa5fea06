/**
 * The receiver as the sender meets it: a process of its own, one delivery on standard input, one line on standard
 * output. Some variants misbehave on purpose: they do the work and then say something else (README.md, "Receivers").
 */

import { blockUntil, boundary, without } from '../../boundary/boundary.ts';
import { DrillError, EXIT } from '../../core/errors.ts';
import { readFileSync, writeOut } from '../../core/fs.ts';
import type { JsonObject } from '../../core/json.ts';
import { translate } from '../../sqlite/open.ts';
import { type Delivery, type Received, receive } from './receiving.ts';
import type { ReceiverVariant } from './terms.ts';

export interface Wire extends Delivery {
  dir: string;
  receiver: ReceiverVariant;
}

const MEGABYTE = 1024 * 1024;

function answer(variant: ReceiverVariant, response: JsonObject): string {
  switch (variant) {
    case 'silent':
      return '';
    case 'error':
      return refusal(response, 'failed', 'Internal error.');
    case 'garbage':
      return 'ticket created, have a nice day\n';
    case 'megabyte':
      return `${'x'.repeat(MEGABYTE)}\n`;
    case 'half-line':
      return JSON.stringify(response).slice(0, 40);
    case 'other-key':
      return line({ ...response, operation_key: `${response.operation_key}-other` });
    case 'other-caller':
      return line({ ...response, caller: `${response.caller}-other` });
    case 'other-payload':
      return line({ ...response, payload_hash: '0'.repeat(64) });
    case 'boolean-ticket':
      return line({ ...response, ticket_id: true });
    case 'extra-field':
      return line({ ...response, note: 'accepted' });
    default:
      return line(response);
  }
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

const refusal = ({ caller, operation_key }: JsonObject, refused: string, message: string): string =>
  line({ caller, operation_key, refused, message });

function refuse({ caller, key }: Wire, refused: string, message: string): void {
  writeOut(refusal({ caller, operation_key: key }, refused, message));
}

function reply(wire: Wire, received: Received): number {
  if (received.kind === 'conflict' || received.kind === 'corrupt') {
    refuse(wire, received.kind, received.message);
    return received.kind === 'conflict' ? EXIT.refused : EXIT.uncertain;
  }
  if (wire.receiver === 'never-ends') {
    // Ends with its sender too: what never answers must not outlive whoever waits for it.
    const sender = process.ppid;
    blockUntil(() => process.ppid !== sender);
    return EXIT.defect;
  }
  writeOut(answer(wire.receiver, { ...received.response }));
  if (wire.receiver === 'half-line') process.kill(process.pid, 'SIGKILL');
  boundary('after-response-write');
  return EXIT.done;
}

function serve(): number {
  const wire = JSON.parse(readFileSync(0, 'utf8')) as Wire;
  try {
    return reply(wire, receive(wire.dir, wire, without()));
  } catch (thrown) {
    const error = translate(thrown);
    if (!(error instanceof DrillError)) throw error;
    process.stderr.write(`${error.message}\n`);
    // A store that could not be written is no invariant about the delivery: say nothing, as a dead receiver would.
    if (error.code !== 'unavailable') refuse(wire, error.code, error.message);
    return error.exit;
  }
}

process.exit(serve());
