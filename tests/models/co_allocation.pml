/*
 * Two co-allocated requests, each at a home site of its own, and two owners with one node each. Each request needs the nodes
 * of both owners: a home site asks both, claims when both are held, starts when both have acknowledged, and gives all back
 * when one can't be had (docs/protocol.md section 6.6). Request 0 is older. What is proved: a request starts only with all
 * its parts; nothing stays held; no state is a deadlock; and each request starts (tests/models/README.md).
 *
 * An owner that ends a hold of the younger request for the older one parks the older one's part until the node is clean.
 * Other nodes are clean at once: a home site pauses for longer than that before it tries again.
 * A home site may have a node from a job before, under a lease that its owner has acknowledged: it is a part of its first
 * try, and goes back if that try fails.
 *
 * Time isn't modelled: an offer that runs out, a turn that an owner keeps for the older request, and the time for which a
 * part is parked, end at any moment, a limited number of times.
 */
c_decl {
  \#include <stdlib.h>
  static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
  }
}
byte expiries; /* offers that run out, and turns and parkings that end, though nothing is wrong */
byte planted;  /* a mistake put in to show that it is found: */
#define YOUNGER_KEEPS 1   /* an owner never takes held nodes from a younger request, and keeps no turn */
#define STARTED_EARLY 2   /* a home site starts without waiting until its claims are acknowledged */
#define PART_KEPT 3       /* a home site gives back only the part that it was refused */
#define TURN_NOT_KEPT 4   /* an owner parks no part and keeps no turn: a younger request gets back what was taken from it */
#define PARKED_FORGOTTEN 5 /* an owner doesn't answer a parked part when the node is clean */
#define LEASED_KEPT 6      /* a home site keeps its leased node when its try failed */
#define LEASED_OUTRANKED 7 /* an owner takes a leased node for an older request, as if it were held: its home site starts */
#define HOLD_UNENDING 8    /* an owner that ends a hold never learns that the node is clean */

#define NONE 2
#define CLEANING 3 /* the node's lease is over, and its resource manager hasn't said yet that nothing runs there */
#define LINK(owner, request) ((owner) * 2 + (request))

mtype = { Ask, Grant, Reject, Claim, Claimed, Release, Ended }
mtype = { nothing, asked, held, claimed, refused }

/* The number of the lease tells an end from that of an earlier lease. Two numbers do, since each link keeps order. */
/* One queue an owner, so that no message waits for ever: kind, request, lease. */
chan to_owner[2] = [8] of { mtype, byte, byte };
chan to_home[4] = [4] of { mtype, byte };

bool started[2], done[2];
byte holder[2] = NONE; /* by owner: which request has the node, or CLEANING */
byte leased[2] = NONE; /* by home site: the owner whose node it has from a job before */
bool is_claimed[2];
byte lease[2];      /* by owner: the number of the latest */
byte first[2] = NONE; /* by owner: an older request found the node held, younger ones get nothing */
bool is_parked[2];  /* by owner: the older request's part */

inline grant(request) {
  holder[me] = request;
  is_claimed[me] = false;
  lease[me] = 1 - lease[me];
  to_home[LINK(me, request)]!Grant,lease[me]
}

/* What an owner does though no site asks it: its resource manager cleans the node, and a turn that isn't wanted any more
 * ends. A process of its own, since neither waits for a pause between messages. */
proctype Nodes(byte me) {
  do
  :: atomic { holder[me] == CLEANING && planted != HOLD_UNENDING ->
       holder[me] = NONE;
       if
       :: is_parked[me] && planted != PARKED_FORGOTTEN -> is_parked[me] = false; grant(0)
       :: else
       fi
     }
  :: atomic { done[0] && first[me] == 0 -> first[me] = NONE }
  :: done[0] && done[1] && holder[me] == NONE && first[me] == NONE -> break
  od;
  assert(!is_parked[me])
}

proctype Owner(byte me) {
  byte what, r;
again:
  do
  :: to_owner[me]?Ask,r,_ -> goto ask
  :: to_owner[me]?Claim,r,what -> goto claim
  :: to_owner[me]?Release,r,what -> goto release
  :: atomic {
       expiries > 0 && holder[me] < NONE && !is_claimed[me] -> /* the offer runs out */
       expiries--;
       to_home[LINK(me, holder[me])]!Ended,lease[me];
       holder[me] = NONE
     }
  :: atomic { expiries > 0 && is_parked[me] -> expiries--; is_parked[me] = false; to_home[LINK(me, 0)]!Reject,0 }
  :: atomic { expiries > 0 && first[me] != NONE -> expiries--; first[me] = NONE }
  :: done[0] && done[1] && holder[me] == NONE -> break
  od;
  goto over;

ask:
  atomic {
    if
    :: holder[me] == NONE && (first[me] >= r || planted == TURN_NOT_KEPT) -> grant(r)
    :: planted != YOUNGER_KEEPS && holder[me] < NONE && r < holder[me] &&
       (!is_claimed[me] || planted == LEASED_OUTRANKED) ->
       first[me] = r;
       to_home[LINK(me, holder[me])]!Ended,lease[me];
       holder[me] = CLEANING;
       is_claimed[me] = false;
       if
       :: planted == TURN_NOT_KEPT -> to_home[LINK(me, r)]!Reject,0
       :: else -> is_parked[me] = true
       fi
    :: else -> to_home[LINK(me, r)]!Reject,0
    fi;
    r = 0
  }
  goto again;

claim:
  atomic {
    if
    :: holder[me] == r && what == lease[me] -> is_claimed[me] = true; to_home[LINK(me, r)]!Claimed,lease[me]
    :: else -> to_home[LINK(me, r)]!Ended,what
    fi;
    r = 0; what = 0
  }
  goto again;

release:
  atomic {
    if
    :: holder[me] == r && what == lease[me] -> holder[me] = NONE; is_claimed[me] = false
    :: else
    fi;
    r = 0; what = 0
  }
  goto again;
over:
  skip
}

/* An answer of one owner. An end of an earlier lease changes nothing. */
inline hear(o) {
  atomic {
    to_home[LINK(o, me)]?kind,what ->
    if
    :: kind == Grant -> part[o] = held; number[o] = what
    :: kind == Reject -> part[o] = refused
    :: kind == Claimed && number[o] == what -> part[o] = claimed
    :: kind == Ended && number[o] == what && part[o] != nothing && part[o] != asked -> part[o] = refused
    :: else
    fi;
    kind = 0; what = 0
  }
}

proctype Home(byte me) {
  mtype part[2], kind;
  byte number[2], what, o;
try:
  atomic {
    part[0] = asked; part[1] = asked;
    number[0] = 9; number[1] = 9; /* of no lease */
    if
    :: leased[me] != NONE -> /* claimed already, under the owner's first lease */
       part[leased[me]] = claimed; number[leased[me]] = 0;
       to_owner[1 - leased[me]]!Ask,me,0
    :: else ->
       to_owner[0]!Ask,me,0;
       to_owner[1]!Ask,me,0
    fi
  }
  do
  :: part[0] == asked || part[1] == asked ->
     if
     :: nempty(to_home[LINK(0, me)]) -> hear(0)
     :: nempty(to_home[LINK(1, me)]) -> hear(1)
     fi
  :: else -> break
  od;
  if
  :: part[0] != refused && part[1] != refused ->
     atomic {
       if
       :: part[0] == held -> to_owner[0]!Claim,me,number[0]
       :: else
       fi;
       if
       :: part[1] == held -> to_owner[1]!Claim,me,number[1]
       :: else
       fi
     }
  :: else -> goto give_back
  fi;
  do
  :: planted == STARTED_EARLY -> break
  :: part[0] == refused || part[1] == refused -> goto give_back
  :: part[0] == claimed && part[1] == claimed -> break
  :: else ->
     if
     :: nempty(to_home[LINK(0, me)]) -> hear(0)
     :: nempty(to_home[LINK(1, me)]) -> hear(1)
     fi
  od;
  atomic {
    started[me] = true;
    assert(holder[0] == me && is_claimed[0] && holder[1] == me && is_claimed[1]) /* all parts, or no start */
  }
  atomic {
    done[me] = true;
    to_owner[0]!Release,me,number[0];
    to_owner[1]!Release,me,number[1]
  }
  goto end;

give_back:
  atomic {
    o = 0;
    do
    :: o < 2 ->
       if
       :: (part[o] == held || part[o] == claimed) && planted != PART_KEPT &&
          !(planted == LEASED_KEPT && leased[me] == o) -> to_owner[o]!Release,me,number[o]
       :: else
       fi;
       o++
    :: else -> break
    od;
    o = 0;
    if
    :: planted != LEASED_KEPT || leased[me] == NONE || part[leased[me]] != claimed -> leased[me] = NONE
    :: else
    fi
  }
  goto try;
end:
  /* What is under way still comes. */
  do
  :: to_home[LINK(0, me)]?_,_
  :: to_home[LINK(1, me)]?_,_
  :: done[0] && done[1] && holder[0] == NONE && holder[1] == NONE -> break
  od
}

init {
  atomic {
    expiries = 0; planted = 0;
    c_code { now.expiries = setting("EXPIRIES", 0); now.planted = setting("PLANTED", 0); };
    /* Owners are alike: of two cases that differ only in their names, one is here. */
    if
    :: skip
    :: leased[0] = 0
    :: leased[1] = 0
    :: leased[0] = 0; leased[1] = 1
    fi;
    if
    :: leased[0] != NONE -> holder[0] = 0; is_claimed[0] = true
    :: else
    fi;
    if
    :: leased[1] != NONE -> holder[leased[1]] = 1; is_claimed[leased[1]] = true
    :: else
    fi;
    run Owner(0); run Owner(1); run Nodes(0); run Nodes(1); run Home(0); run Home(1)
  }
}

/* The older request starts, however the younger one tries, and then the younger one does. */
ltl both_start { <> started[0] && <> started[1] }
