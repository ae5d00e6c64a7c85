/**
 * streaming: what runs on a connection after its upgrade. Frames WebSocket and SPDY/3.1, carries the channels of exec, attach and
 * port-forward in them, and logs and watches over WebSocket. Knows sessions and bytes; not requests, users or objects.
 */
export { type CommandProtocol, commandOverWebSocket, commandProtocols } from './command-over-web-socket.ts';
export { spdyHead, webSocketHead } from './handshake.ts';
